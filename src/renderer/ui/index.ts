/** The design system: every feature takes its controls from here. `global.css` is imported once, by the renderer's entry. */
export { Button, IconButton, type ButtonProps, type ButtonTone, type IconButtonProps } from './button';
export { Chip, Kbd, type ChipProps, type ChipTone } from './badge';
export { BrandMark, type BrandMarkProps } from './brand-mark';
export { cx } from './cx';
export { Dialog, type DialogProps } from './dialog';
export { ErrorBoundary, type Fault } from './error-boundary';
export { EmptyState, Spinner, VisuallyHidden, type EmptyStateProps } from './feedback';
export {
  Field,
  Input,
  TextArea,
  type FieldControl,
  type FieldProps,
  type InputProps,
  type TextAreaProps,
} from './field';
export { Glyph, type GlyphName, type GlyphProps } from './glyph';
export { ContextMenu, DropdownMenu, type DropdownMenuProps, type MenuItem } from './menu';
export { Notice, type NoticeLevel, type NoticeProps } from './notice';
export { Popover, type PopoverProps } from './popover';
export { Select, type SelectOption, type SelectProps } from './select';
export { SplitPane, type SplitPaneProps } from './split-pane';
export { applyStyleNonce } from './style-nonce';
export { Switch, type SwitchProps } from './switch';
export { Tabs, type TabItem, type TabsProps } from './tabs';
export { Toasts, type ToastItem, type ToastsProps } from './toasts';
export { Visible, VisibleBlock, VisibleRuns, visibleClass } from './visible';
export { isUsedUp, Tooltip, TooltipProvider, type TooltipProps } from './tooltip';
