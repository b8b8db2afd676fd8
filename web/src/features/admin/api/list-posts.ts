import { useQuery } from '@tanstack/react-query'
import { client } from '@/lib/client'
import { queryClient } from '@/lib/queries'
import { dataOf } from '@/lib/results'
import { forgetServerData } from '@/lib/server-data'

/** Newest first. Posts of one upload are equally old, and their order is left to the server: see `inOrder`. */
const list = () =>
  client()
    .from('blog_posts')
    .select('id, title, slug, excerpt, published, author_name, published_at, created_at, tags')
    .order('created_at', { ascending: false })

type ListReply = Awaited<ReturnType<typeof list>>
export type PostRow = NonNullable<ListReply['data']>[number]

export interface AllPosts {
  posts: PostRow[]
  total: number
  /** False while only the newest posts are here. */
  complete: boolean
}

/** How many there are. A server limits the rows of an answer, a thousand as a rule, and its list does not say so. */
async function countPosts(): Promise<number> {
  const result = await client().from('blog_posts').select('id', { count: 'exact', head: true })
  dataOf(result)
  return result.count ?? 0
}

type Place = Pick<PostRow, 'created_at' | 'id'>

/** Before every id, so that a place with it stands before all posts of its time. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** The posts behind a place, as many as one answer holds. Here the order has to be whole: each answer begins where one ended. */
const listAfter = ({ created_at, id }: Place) =>
  list().order('id').or(`created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.gt.${id})`)

/** Newest first, and those of one time by id, so that a reload shows each where it was. */
const inOrder = (posts: Iterable<PostRow>) =>
  [...posts].sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? 1 : -1))

async function listPosts(): Promise<AllPosts> {
  const [newest, total] = await Promise.all([list().then(dataOf), countPosts()])
  const posts = new Map(newest.map((post) => [post.id, post]))
  const oldest = newest.at(-1)
  if (oldest && newest.length < total) {
    // Something to read at once; not on a reload, where the former list stays until the new one is whole.
    queryClient.setQueryData<AllPosts>(POSTS_KEY, (shown) => shown ?? { posts: inOrder(newest), total, complete: false })
    // Any of those as old as the last one may be missing.
    let last: Place | undefined = { created_at: oldest.created_at, id: FIRST_ID }
    while (last) {
      const more: PostRow[] = dataOf(await listAfter(last))
      for (const post of more) posts.set(post.id, post)
      // What is no full answer is the last one.
      last = more.length < newest.length ? undefined : more.at(-1)
    }
  }
  return { posts: inOrder(posts.values()), total: posts.size, complete: true }
}

const POSTS_KEY = ['admin', 'posts']

/** Every post, newest first. */
export const useAllPosts = () => useQuery({ queryKey: POSTS_KEY, queryFn: listPosts, staleTime: 0 }, queryClient)

let ownAt = Number.NEGATIVE_INFINITY

/** Whether what was just written was written here: the list shows it already. */
export const isOwnChange = () => performance.now() - ownAt < 3000

/** Changes the list in place, after a write that is known to have succeeded. */
export const updatePosts = (change: (posts: PostRow[]) => PostRow[]) =>
  queryClient.setQueryData<AllPosts>(POSTS_KEY, (all) => {
    if (!all) return all
    const posts = change(all.posts)
    return { ...all, posts, total: all.total - (all.posts.length - posts.length) }
  })

/** What readers see is out of date after any write. */
export function forgetPublicPosts(): void {
  ownAt = performance.now()
  forgetServerData()
  queryClient.removeQueries({ queryKey: ['insights'] })
}

export const reloadPosts = () => queryClient.invalidateQueries({ queryKey: POSTS_KEY })
