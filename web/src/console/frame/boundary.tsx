import { Component, type ReactNode } from 'react'
import { Failure } from '../parts/states'

/** A page that fails leaves the frame standing. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return (
      <div className="page">
        <Failure error={this.state.error} onRetry={() => this.setState({ error: null })} />
      </div>
    )
  }
}
