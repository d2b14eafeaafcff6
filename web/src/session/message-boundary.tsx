import { Component, type ReactNode } from 'react'

interface Props {
  /** What is shown in place of a message that cannot be drawn. */
  fallback: ReactNode
  children: ReactNode
}

/** A message from elsewhere may be of a shape that nobody thought of: it must not take the others with it. */
export class MessageBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
