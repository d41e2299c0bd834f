export { CompactButton } from './compact-button';
export { CompactSheet } from './compact-sheet';
export { ReviewDialog, ReviewEditor } from './review-dialog';
export { setReview } from './review-state';
