import { useState } from 'react'
import { versionFor } from '@/lib/pictures'
import { SearchBox } from '@/ui/search-box'
import { type Picture, usePictures } from '../api/pictures'

interface LibraryProps {
  /** What is done with one, above its words. */
  children: (picture: Picture) => React.ReactNode
  empty: string
}

/** Every uploaded picture, newest first. */
export function Library({ children, empty }: LibraryProps) {
  const [search, setSearch] = useState('')
  const { data: pictures, isError } = usePictures(search.trim())
  return (
    <div className="grid gap-4">
      <SearchBox aria-label="Search pictures" placeholder="Search pictures..." value={search} onChange={(event) => setSearch(event.target.value)} />
      {pictures === undefined || pictures.length === 0 ? (
        <p role="status" className="py-8 text-center text-granite-600">
          {isError ? 'The pictures could not be read.' : pictures === undefined ? 'Loading pictures...' : search.trim() === '' ? empty : 'No picture found matching your search.'}
        </p>
      ) : (
        <ul className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-[repeat(auto-fill,minmax(13rem,1fr))]">
          {pictures.map((picture) => (
            <li key={picture.folder} className="relative grid content-start overflow-hidden rounded-lg border border-granite-200 bg-white">
              <img src={versionFor(picture.address, 400)} alt={picture.alt} loading="lazy" className="aspect-[4/3] w-full bg-granite-100 object-contain" />
              <div className="grid gap-1 p-3 text-sm">{children(picture)}</div>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
