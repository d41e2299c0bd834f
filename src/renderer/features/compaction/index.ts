export { CompactButton } from './compact-button';
export { CompactSheet } from './compact-sheet';
