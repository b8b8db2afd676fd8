import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { dataOf, queryClient } from '@/lib/queries'
import { forgetServed } from '@/lib/served'

/** Enough for the first page of the list; the others follow while it is being read. */
const FIRST_ROWS = 50
const CHUNK = 1000

/** Posts of one upload are equally old; the id keeps them in one order over several answers. */
const list = (from: number, to: number) =>
  client()
    .from('blog_posts')
    .select('id, title, slug, excerpt, published, author_name, published_at, created_at, tags', { count: 'exact' })
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, to - 1)

type ListReply = Awaited<ReturnType<typeof list>>
export type PostRow = NonNullable<ListReply['data']>[number]

export interface AllPosts {
  posts: PostRow[]
  total: number
  /** False while only the newest posts are here. */
  complete: boolean
}

/** The rows of a range, in as many answers as the server needs for it. */
async function readRange(from: number, to: number): Promise<PostRow[]> {
  const rows = dataOf(await list(from, to))
  const next = from + rows.length
  return rows.length === 0 || next >= to ? rows : [...rows, ...(await readRange(next, to))]
}

async function listPosts(): Promise<AllPosts> {
  const first = await list(0, FIRST_ROWS)
  const newest = dataOf(first)
  const total = first.count ?? newest.length
  if (newest.length >= total) return { posts: newest, total: newest.length, complete: true }
  // Something to read at once; not on a reload, where the former list stays until the new one is whole.
  queryClient.setQueryData<AllPosts>(POSTS_KEY, (shown) => shown ?? { posts: newest, total, complete: false })
  const starts = Array.from({ length: Math.ceil((total - newest.length) / CHUNK) }, (_, index) => newest.length + index * CHUNK)
  const others = await Promise.all(starts.map((from) => readRange(from, Math.min(from + CHUNK, total))))
  // A post added meanwhile shifts the others, so one may come twice.
  const posts = [...new Map([...newest, ...others.flat()].map((post) => [post.id, post])).values()]
  return { posts, total: posts.length, complete: true }
}

const POSTS_KEY = ['admin', 'posts']

/** Every post, newest first. */
export const useAllPosts = () => useQuery({ queryKey: POSTS_KEY, queryFn: listPosts, staleTime: 0 }, queryClient)

/** Changes the list in place, after a write that is known to have succeeded. */
export const updatePosts = (change: (posts: PostRow[]) => PostRow[]) =>
  queryClient.setQueryData<AllPosts>(POSTS_KEY, (all) => {
    if (!all) return all
    const posts = change(all.posts)
    return { ...all, posts, total: all.total - (all.posts.length - posts.length) }
  })

/** What readers see is out of date after any write. */
export function forgetPublicPosts(): void {
  forgetServed()
  queryClient.removeQueries({ queryKey: ['insights'] })
}

export const reloadPosts = () => queryClient.invalidateQueries({ queryKey: POSTS_KEY })
