import { useEffect, useState } from 'react'
import { versionFor } from '@/lib/pictures'
import { toast } from '@/ui/toast-store'
import { type Picture, deletePicture, picturesOnlyOf } from '../api/pictures'

/** The pictures that only posts which are about to be deleted show, and whether they go too. */
export function useOwnPictures(ids: readonly string[]) {
  const [pictures, setPictures] = useState<Picture[]>([])
  const [chosen, setChosen] = useState(false)
  const key = ids.join()

  useEffect(() => {
    let left = false
    setPictures([])
    setChosen(false)
    // Posts can be deleted all the same where the pictures cannot be read.
    if (key !== '') picturesOnlyOf(key.split(',')).then((found) => left || setPictures(found), () => {})
    return () => {
      left = true
    }
  }, [key])

  /** To be called once the posts are gone: a picture is never missing in a post that stayed. */
  const finish = async () => {
    if (!chosen) return
    const outcomes = await Promise.allSettled(pictures.map(({ folder }) => deletePicture(folder)))
    if (outcomes.some(({ status }) => status === 'rejected')) {
      toast({ title: 'Error', description: 'Some pictures could not be deleted. They are in the picture library.', variant: 'destructive' })
    }
  }

  const offer =
    pictures.length === 0 ? null : (
      <div className="mt-5 rounded-md bg-granite-50 p-4">
        <label className="flex items-center gap-2.5 text-sm font-semibold">
          <input type="checkbox" checked={chosen} onChange={(event) => setChosen(event.target.checked)} className="size-5 accent-harbor-700" />
          {pictures.length === 1 ? 'Also delete the picture that is shown nowhere else' : `Also delete the ${pictures.length} pictures that are shown nowhere else`}
        </label>
        <ul className="mt-3 flex flex-wrap gap-2">
          {pictures.map(({ folder, address, alt, fileName }) => (
            <li key={folder}>
              <img src={versionFor(address, 200)} alt={alt || fileName} className="h-16 w-24 rounded-md bg-granite-100 object-cover" />
            </li>
          ))}
        </ul>
      </div>
    )
  return { offer, finish }
}
