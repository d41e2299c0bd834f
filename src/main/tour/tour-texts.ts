/** What the tour is copied from, in a part of the code that is loaded only then: `resources/tour`, made by `npm run record:tour`. */
export { default as session } from '../../../resources/tour/session.jsonl?raw';
export { default as project } from '../../../resources/tour/project.json?raw';
