/** Pages of Insights drawn whole by their components, to be compared with filled templates: tests/functions/test_templates.py. */
import { sectionsOf, sourcesOf } from './ui/outline'
import { type Rendered, renderAt, renderTemplate, siteFacts, templates, toTemplate } from './entry-server'
import { Layout } from './app/layout'
import type { Article } from './features/insights/api/get-article'
import { PAGE_SIZE, type PostSummary } from './features/insights/api/list-posts'
import { ArticleActionsPlaceholder } from './features/insights/article-actions'
import { ArticlePageView } from './features/insights/article-page-view'
import { ListView, searchField } from './features/insights/list-view'
import { type ListState, listAddress } from './features/insights/list-state'
import { listNames, articleSeo, listSeoOf } from './features/insights/seo'
import { ClearLink, TopicLinks, topicLinks } from './features/insights/topics'
import { paths } from './lib/paths'
import { Seo } from './lib/seo'
import { ArticleText } from './ui/article-body'
import { Pagination } from './ui/pagination'
import { SearchBox } from './ui/search-box'

export { siteFacts }

/** Every template: its head, its body and its data. */
export const drawTemplates = () =>
  Promise.all(
    templates.map(async (page) => {
      const { head, body, data } = await renderTemplate(page)
      return { name: page.name, head: toTemplate(head), body: toTemplate(body), data: toTemplate(data) }
    }),
  )

/** `content` is markup that is safe to show. */
export const drawArticle = ({ article, content }: { article: Article; content: string }): Promise<Rendered> =>
  renderAt(
    paths.article(article.slug),
    <Layout>
      <Seo {...articleSeo(article)} />
      <ArticlePageView article={article} body={<ArticleText html={content} />} sections={sectionsOf(content)} sources={sourcesOf(content)} actions={<ArticleActionsPlaceholder />} />
    </Layout>,
  )

interface List {
  state: ListState
  posts: PostSummary[]
  count: number
  tags: string[]
}

export function drawList({ state, posts, count, tags }: List): Promise<Rendered> {
  const lastPage = Math.ceil(count / PAGE_SIZE)
  return renderAt(
    listAddress(state),
    <Layout>
      <Seo {...listSeoOf(state, posts)} />
      <ListView
        {...state}
        heading={listNames(state).heading}
        lastPage={lastPage}
        several={lastPage > 1}
        filtered={state.search !== '' || state.tag !== ''}
        posts={posts}
        shown={posts.length}
        total={count}
        searchBox={<SearchBox {...searchField} defaultValue={state.search} />}
        topics={<TopicLinks topics={topicLinks(tags, state)} />}
        pagination={<Pagination page={state.page} lastPage={lastPage} hrefFor={(page) => listAddress({ ...state, page })} />}
        clear={<ClearLink />}
      />
    </Layout>,
  )
}
