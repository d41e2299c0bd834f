import { expect, it } from 'vitest';
import type { WorkspaceStatus } from '@shared/types';
import { whatItMayDo } from '../../../src/renderer/features/onboarding/welcome';

const FREE = 'It can read there; it asks before writing a file or running a command.';
const ASKED = 'It asks before reading or writing a file or running a command.';

const statusOf = (trust: WorkspaceStatus['trust'], folder = '/here'): WorkspaceStatus => ({
  ...{ folder, trust },
  ...{ isReplaced: false, isReadingAllowed: false, guidance: null, suggestion: null },
});

it('safety B1: an empty session says that reading is free once main has said so of its folder, and not before', () => {
  expect(whatItMayDo(null, '/here')).toBe('');
  expect(whatItMayDo(statusOf('trusted', '/before'), '/here')).toBe('');
  expect(whatItMayDo(statusOf('restricted'), '/here')).toBe(ASKED);
  expect(whatItMayDo({ ...statusOf('restricted'), isReadingAllowed: true }, '/here')).toBe(FREE);
  for (const trust of ['missing', 'silent'] as const) expect(whatItMayDo(statusOf(trust), '/here')).toBe('');
  for (const trust of ['trusted', 'scratch'] as const) expect(whatItMayDo(statusOf(trust), '/here')).toBe(FREE);
});
