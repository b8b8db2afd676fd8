/** An e-mail address that, where it does not fit, breaks after its at sign before it breaks anywhere else. */
export function Email({ address }: { address: string }) {
  const [name, domain] = address.split('@')
  return (
    <span className="wrap-anywhere">
      {name}@<wbr />
      {domain}
    </span>
  )
}
