export { CompactButton } from './compact-button';
export { CompactSheet } from './compact-sheet';
export { ReviewDialog } from './review-dialog';
export { setReview } from './review-state';
