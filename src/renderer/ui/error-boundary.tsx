import { Component, type ErrorInfo, type ReactNode } from 'react';

/** What went wrong below a boundary. */
export interface Fault {
  error: unknown;
  /** Draws the children once more. */
  retry: () => void;
}

interface ErrorBoundaryProps {
  /** What the children are drawn from: when one of these is another, they get another chance. */
  inputs: readonly unknown[];
  /** Stands in the place of the children. It must not throw: keep it small. */
  fallback: (fault: Fault) => ReactNode;
  /** Told once for each failure; it must not throw. */
  onFault?: (error: unknown, componentStack: string) => void;
  children: ReactNode;
}

interface State {
  fault: { error: unknown } | null;
  inputs: readonly unknown[];
}

/** Keeps a failure while drawing to its own part of the window. Recovers as soon as what is drawn changes. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { fault: null, inputs: this.props.inputs };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { fault: { error } };
  }

  static getDerivedStateFromProps({ inputs }: ErrorBoundaryProps, state: State): Partial<State> | null {
    if (isSame(inputs, state.inputs)) return null;
    return { inputs, fault: null };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    this.props.onFault?.(error, info.componentStack ?? '');
  }

  private readonly retry = (): void => this.setState({ fault: null });

  override render(): ReactNode {
    const { fault } = this.state;
    return fault ? this.props.fallback({ error: fault.error, retry: this.retry }) : this.props.children;
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
}
