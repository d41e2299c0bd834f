/** What draws: loaded with pi-tui when the first component of a process is there. */
export { Stage } from './stage';
export { type Still, stillFrame, Stills } from './stills';
