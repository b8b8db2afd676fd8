/** Which container takes what: the colors and labels that people see at the wall, by stream. */
export interface ContainerKind {
  stream: string
  /** As it is called on a phone: 'the red bag'. */
  container: string
  color: string
  lid: string
  label: string
  shape: 'box' | 'sharps' | 'bin' | 'tub'
  yes: string
  no: string
}

export const containerGuide = {
  title: 'Which container takes what',
  lead: 'Color and label decide the way a container goes: to steam, to fire, or to hazardous waste. The guide hangs on your wall after the first pickup.',
  note: 'Colors as most facilities in New England use them; your state and your own plan decide.',
  kinds: [
    { stream: 'Regulated medical waste', container: 'Red bag in a box', color: '#b3261e', lid: '#8c1d17', label: 'BIOHAZARD', shape: 'box', yes: 'Items soaked or caked with blood, cultures, used PPE that drips', no: 'Sharps, medicines, dry gloves, packaging' },
    { stream: 'Sharps', container: 'Red rigid container', color: '#c8372d', lid: '#f4f7f7', label: 'SHARPS', shape: 'sharps', yes: 'Needles, lancets, scalpels, broken vials with blood', no: 'Full syringes of medicine, anything above the line' },
    { stream: 'Pathological', container: 'Red tub, own label', color: '#8c1d17', lid: '#5f1410', label: 'PATH - INCINERATE', shape: 'tub', yes: 'Tissue, organs, specimens in little fixative', no: 'Liquid formalin, anything steam may treat' },
    { stream: 'Trace chemotherapy', container: 'Yellow container', color: '#f4b93a', lid: '#fff8e8', label: 'TRACE CHEMO', shape: 'bin', yes: 'Empty vials, tubing and gloves of chemotherapy', no: 'Bulk chemotherapy: that is hazardous waste' },
    { stream: 'Pharmaceuticals, not hazardous', container: 'Blue container', color: '#2f6fb0', lid: '#dce8f4', label: 'RX - NON-HAZARDOUS', shape: 'bin', yes: 'Expired tablets, partial vials, creams', no: 'Anything on the P or U list, inhalers, the drain' },
    { stream: 'Pharmaceuticals, hazardous', container: 'Black container', color: '#26343a', lid: '#4b5e67', label: 'RX - RCRA', shape: 'bin', yes: 'Warfarin, nicotine, bulk chemotherapy, what ignites', no: 'Controlled substances: they have a way of their own' },
  ] satisfies ContainerKind[],
}
