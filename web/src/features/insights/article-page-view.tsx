/** What an article's page shows, drawn by the browser and, as a template, by the server. */
import type { ReactNode } from 'react'
import { paths } from '@/lib/paths'
import { Seo } from '@/lib/seo'
import { InTurn } from '@/parts/in-turn'
import { type ArticleContent, ArticleView } from '@/ui/article-view'
import type { Section, Source } from '@/ui/outline'
import { ButtonLink } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { Link } from '@/ui/link'
import { listQuery } from './list-state'

function BackLink() {
  return (
    <Link to={paths.insights} className="no-print inline-flex min-h-9 items-center gap-2 text-sm font-semibold text-harbor-700 hover:underline">
      <Icon name="back" className="size-4" />
      Back to Insights
    </Link>
  )
}

interface ArticlePageViewProps {
  article: ArticleContent
  body: ReactNode
  sections: readonly Section[]
  sources: readonly Source[]
  /** Ways to pass it on. */
  actions: ReactNode
}

export function ArticlePageView({ article, body, sections, sources, actions }: ArticlePageViewProps) {
  return (
    <>
      <InTurn>
        <ArticleView
          article={article}
          body={body}
          sections={sections}
          sources={sources}
          before={<BackLink />}
          actions={actions}
          tagHref={(tag) => ({ pathname: paths.insights, search: listQuery({ search: '', tag, page: 1 }) })}
        />
      </InTurn>
      <InTurn>
        <div className="no-print container pb-14">
          <div className="on-dark max-w-[46rem] rounded-lg bg-harbor-950 p-7 text-harbor-100 sm:p-9">
            <h2 className="text-h3 text-white">Need help with medical waste at your facility?</h2>
            <p className="mt-2">Fair pricing, no long-term contracts, and a free waste audit for facilities in all six New England states.</p>
            <div className="mt-6 flex flex-wrap gap-3">
              <ButtonLink variant="gold" to={paths.quote}>
                Get Free Quote
              </ButtonLink>
              <ButtonLink variant="onDark" to={paths.contact}>
                Contact Us
              </ButtonLink>
            </div>
          </div>
        </div>
      </InTurn>
    </>
  )
}

/** For an address without an article. */
export function ArticleMissing({ message }: { message: string }) {
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <Seo title="Article Not Found" description="The requested article could not be found." noindex />
      <h1 className="text-h1">Article Not Found</h1>
      <p className="mt-5 text-lead text-granite-600">{message || 'The requested article could not be found.'}</p>
      <div className="mt-8">
        <BackLink />
      </div>
    </div>
  )
}
