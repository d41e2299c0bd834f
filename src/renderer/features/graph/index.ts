export { GraphPane } from './graph-pane';
