import { type CSSProperties, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import { focusComposerLater, IconButton } from './button';
import { cx } from './cx';
import styles from './overlay.module.css';
import { isUsedUp } from './popover';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** Buttons, primary first. */
  footer?: ReactNode;
  /** `large` is the sheet: settings, compaction. */
  size?: 'normal' | 'large';
  /** Width in pixels; it never exceeds the window. */
  width?: number;
  /** The body brings its own padding. */
  flush?: boolean;
  /** The title is read but not shown. */
  hideTitle?: boolean;
  children?: ReactNode;
}

/** Whether Escape means something else where it was pressed: a form in a dialog is left by it. */
function hasOwnEscape({ target }: { target: EventTarget | null }): boolean {
  return target instanceof Element && target.closest('[data-own-escape]') !== null;
}

/** A modal dialog or sheet: focus is trapped and returned, Escape closes, the page behind does not scroll. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, lead, footer, size = 'normal', width, flush, hideTitle, children } = props;
  const returnTo = useRef<Element | null>(null);
  const wide = width ?? (size === 'large' ? 860 : undefined);
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={styles.scrim} />
        <RadixDialog.Content
          data-dialog
          className={cx(styles.dialog, size === 'large' && styles.large)}
          style={wide ? ({ '--dialog-width': `${wide}px` } as CSSProperties) : undefined}
          // Radix returns the focus to a trigger only, and ours open from keys and menus too.
          onOpenAutoFocus={() => (returnTo.current = document.activeElement)}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const from = returnTo.current;
            if (from instanceof HTMLElement) from.focus();
            // What opened it may be gone, as by what was done in it.
            if (from?.isConnected === false) focusComposerLater();
            returnTo.current = null;
          }}
          onEscapeKeyDown={(event) => hasOwnEscape(event) && event.preventDefault()}
          // Radix listens a few frames after it has moved the focus here; a menu of the dialog is not in its element.
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || isUsedUp(event.nativeEvent) || hasOwnEscape(event)) return;
            if (!event.currentTarget.contains(event.target as Node)) return;
            event.preventDefault();
            onOpenChange(false);
          }}
          {...(lead ? {} : { 'aria-describedby': undefined })}
        >
          <WhereFrom to={returnTo} />
          <DialogHead title={title} lead={lead} hidden={hideTitle} />
          {children !== undefined && <div className={cx(styles.body, flush && styles.flush)}>{children}</div>}
          {footer && <div className={styles.foot}>{footer}</div>}
          <RadixDialog.Close asChild>
            <IconButton label="Close" className={styles.close} size="small">
              <X size={15} />
            </IconButton>
          </RadixDialog.Close>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** What has the keyboard as the dialog is drawn: a field of it that takes it by itself would hide that from Radix. */
function WhereFrom({ to }: { to: RefObject<Element | null> }) {
  const [from] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    to.current ??= from;
  }, [from, to]);
  return null;
}

function DialogHead({ title, lead, hidden }: { title: string; lead: ReactNode; hidden: boolean | undefined }) {
  if (hidden) return <RadixDialog.Title hidden>{title}</RadixDialog.Title>;
  return (
    <div className={styles.head}>
      <RadixDialog.Title className={styles.title}>{title}</RadixDialog.Title>
      {lead && <RadixDialog.Description className={styles.lead}>{lead}</RadixDialog.Description>}
    </div>
  );
}

declare global {
  // Read by `get-nonce`, through which Radix's scroll lock gives its <style> the nonce of our policy.
  var __webpack_nonce__: string | undefined;
}

/**
 * Hands the page's style nonce (the `<meta property="csp-nonce">` that Vite's `html.cspNonce` writes) to the libraries
 * that insert a `<style>` element. Call once before the first render. Without the meta tag nothing happens, and such
 * styles are blocked by the policy (QC1).
 */
export function applyStyleNonce(page: Document): void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (nonce) globalThis.__webpack_nonce__ = nonce;
}
