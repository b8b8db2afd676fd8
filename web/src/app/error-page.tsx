import { Component, type ErrorInfo, type ReactNode } from 'react'
import { company } from '@/content/site'
import { Button, buttonClass } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { paths } from '@/lib/paths'

interface ErrorBoundaryProps {
  /** When it changes the boundary tries again: an error on one page does not follow the visitor. */
  resetKey: string
  children: ReactNode
}

interface BoundaryState {
  failed: boolean
  key: string
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: false, key: this.props.resetKey }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack)
  }

  static getDerivedStateFromProps({ resetKey }: ErrorBoundaryProps, state: BoundaryState): BoundaryState | null {
    return state.key === resetKey ? null : { failed: false, key: resetKey }
  }

  override render() {
    return this.state.failed ? <ErrorPage onRetry={() => this.setState({ failed: false })} /> : this.props.children
  }
}

export function ErrorPage({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="container flex min-h-[60vh] flex-col items-start justify-center py-16">
      <p className="font-semibold text-harbor-700">Error</p>
      <h1 className="mt-2 text-h1">Something Went Wrong</h1>
      <p className="mt-5 max-w-[52ch] text-lead text-granite-600">We apologize for the inconvenience. An unexpected error has occurred.</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <Button onClick={onRetry}>
          <Icon name="retry" />
          Try Again
        </Button>
        {/* A plain link: a full load also clears whatever state led here. */}
        <a href={paths.home} className={buttonClass({ variant: 'outline' })}>
          Return Home
        </a>
      </div>
      <p className="mt-8 text-sm text-granite-600">
        If this keeps happening,{' '}
        <a href={paths.contact} className="font-semibold text-harbor-700 underline">
          contact us
        </a>{' '}
        or call <a href={company.phoneHref} className="font-semibold whitespace-nowrap text-harbor-700 underline">{company.phone}</a>.
      </p>
    </div>
  )
}
