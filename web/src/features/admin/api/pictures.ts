/** The pictures of articles: folders of the bucket `pictures`, see schema/migrations/0160_pictures.sql. */
import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'
import type { Prepared } from '../pictures/prepare'

const BUCKET = 'pictures'
/** Nothing else is ever stored under an address. */
const FOREVER = '31536000'

export interface Picture {
  folder: string
  /** Of the largest version, without the host where it is this site's own. */
  address: string
  alt: string
  fileName: string
  bytes: number
  createdAt: string
  /** The posts that show it, drafts too. */
  posts: { id: string; title: string }[]
}

const bucket = () => client().storage.from(BUCKET)

/** An address of this site stays right when the site moves. */
const addressOf = (path: string) => bucket().getPublicUrl(path).data.publicUrl.replace(new RegExp(`^${window.location.origin}(?=/)`), '')

async function listPictures(search = '', postIds?: readonly string[]): Promise<Picture[]> {
  const all = client().rpc('list_pictures', { search })
  // Chosen by the server: it limits the rows of an answer, and theirs may be old.
  const rows = dataOf(await (postIds ? all.or(postIds.map((id) => `posts.cs."[{\\"id\\":\\"${id}\\"}]"`).join()) : all))
  return rows.map(({ folder, address, alt, file_name, bytes, created_at, posts }) => ({
    folder,
    address: addressOf(address),
    alt,
    fileName: file_name,
    bytes,
    createdAt: created_at,
    posts: posts as unknown as Picture['posts'],
  }))
}

const KEY = ['admin', 'pictures']

/** Newest first. */
export const usePictures = (search: string) => useQuery({ queryKey: [...KEY, search], queryFn: () => listPictures(search), staleTime: 0 }, queryClient)

const reload = () => queryClient.invalidateQueries({ queryKey: KEY })

/** Those that none but the given posts show. */
export async function picturesOnlyOf(ids: readonly string[]): Promise<Picture[]> {
  return (await listPictures('', ids)).filter(({ posts }) => posts.every(({ id }) => ids.includes(id)))
}

/** Stores all versions of a picture and answers with the address of the largest; `told` hears the percent done. */
export async function uploadPicture({ folder, versions }: Prepared, words: { alt: string; name: string }, told: (percent: number) => void): Promise<string> {
  const total = versions.reduce((sum, { blob }) => sum + blob.size, 0)
  const stored: string[] = []
  let sent = 0
  let path = ''
  told(0)
  for (const { name, blob } of versions) {
    path = `${folder}/${name}`
    // The largest comes last and has the words: where it is, the picture is whole.
    const { error } = await bucket().upload(path, blob, { cacheControl: FOREVER, contentType: blob.type, metadata: words })
    if (error) {
      if (stored.length > 0) await bucket().remove(stored)
      throw error
    }
    stored.push(path)
    sent += blob.size
    told((sent / total) * 100)
  }
  void reload()
  return addressOf(path)
}

export async function deletePicture(folder: string): Promise<void> {
  const { data, error } = await bucket().list(folder)
  if (error) throw error
  const removed = await bucket().remove(data.map(({ name }) => `${folder}/${name}`))
  if (removed.error) throw removed.error
  void reload()
}
