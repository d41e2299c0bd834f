// Lays the nodes out with dagre, as React Flow's own examples do it; posts the milliseconds. A thread of its own, because
// dagre walks recursively: a trunk of thousands of turns needs a deeper stack than a process has.
import { parentPort, workerData } from 'node:worker_threads';
import { Graph, layout } from '@dagrejs/dagre';

const graph = new Graph();
graph.setGraph({ rankdir: 'TB' });
graph.setDefaultEdgeLabel(() => ({}));
for (const { id } of workerData) graph.setNode(id, { width: 156, height: 46 });
for (const { id, parent } of workerData) if (parent !== null) graph.setEdge(parent, id);
const start = performance.now();
layout(graph);
const ms = performance.now() - start;
parentPort.postMessage({ ms, placed: graph.nodes().filter((id) => graph.node(id).y !== undefined).length });
