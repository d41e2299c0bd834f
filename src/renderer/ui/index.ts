/** The design system: every feature takes its controls from here. `global.css` is imported once, by the renderer's entry. */
export { Button, IconButton, type ButtonProps, leaveFocus } from './button';
export { Chip, Kbd, type ChipTone, BrandMark, Glyph } from './marks';
export { cx } from './cx';
export { Dialog, applyStyleNonce } from './dialog';
export { ErrorBoundary, type Fault } from './error-boundary';
export { EmptyState, Spinner, VisuallyHidden, Notice, noticeIcons, type NoticeLevel } from './notice';
export { Field, Input, TextArea, type FieldControl, type TextAreaProps, Select, Switch } from './field';
export { ContextMenu, DropdownMenu, PointMenu, type MenuItem } from './menu';
export { Popover, isUsedUp, Tooltip, TooltipProvider } from './popover';
export { PaneBar, SplitPane, Tabs, useLowWindow } from './panes';
export { TOAST_SLOT } from './toast-place';
export { Toasts } from './toasts';
export { Visible, VisibleBlock, VisibleRuns, visibleClass, goesOnClass, lineEndClass } from './visible';
