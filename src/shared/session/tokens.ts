export { estimateRaw } from './estimate';
export { breakdown } from './breakdown';
export type { Breakdown, LargeItem } from './breakdown';
export type { FigureOptions, SessionFigure } from './figure';
export { estimateOverhead, NO_OVERHEAD, overheadInForce } from './overhead';
export type { Overhead } from './overhead';
export { ratioFor } from './ratio';
