import { useState } from 'react';
import { own } from '@shared/checks';
import type { SummaryModel } from '@shared/compaction/preview';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { visibleString } from '@shared/policy/visible-text';
import { compactSession } from '../../actions/compaction';
import { formatCost, formatTokens, plural } from '../../state/format';
import { useApp, useLive, usePreview, useSession, useUi } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { SheetChoices } from '../../state/ui-store';
import { Button, Dialog, EmptyState, Glyph, Kbd, Notice, Spinner } from '../../ui';
import styles from './compaction.module.css';
import { CutList, CutRail } from './cut-list';
import { InstructionsBox, keyOf, SummariserPicker } from './summary-choices';

const WIDTH_PX = 640;

/** The sheet in front of a compaction: where to cut, what to look at, who writes it (SH1). */
export function CompactSheet() {
  const session = useSession();
  const app = useApp();
  const open = useUi((ui) => ui.compactSheet === session.id);
  const close = (): void => app.ui.setState({ compactSheet: null });
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && close()}
      title="Compact this session"
      lead="Nothing is deleted. The model gets a summary in place of everything above the line."
      size="large"
      width={WIDTH_PX}
    >
      <Sheet onClose={close} />
    </Dialog>
  );
}

function Sheet({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const { figures, problem, again } = usePreview(session);
  if (problem !== null && !figures) {
    return (
      <Notice level="error" title="Couldn’t read the session" actions={<Button onClick={again}>Try again</Button>}>
        {problem} Nothing was changed.
      </Notice>
    );
  }
  if (!figures) {
    return (
      <div className={styles.loading}>
        <Spinner label="Reading the session" size={18} />
      </div>
    );
  }
  if (figures.preview.items.length === 0) {
    return <EmptyState title="Nothing to compact yet">{figures.preview.nothing?.text}</EmptyState>;
  }
  return <Choices figures={figures} problem={problem} onClose={onClose} />;
}

interface ChoicesProps {
  figures: PreviewFigures;
  problem: string | null;
  onClose: () => void;
}

function Choices({ figures, problem, onClose }: ChoicesProps) {
  const session = useSession();
  const app = useApp();
  const { preview } = figures;
  const isCompacting = useLive(session, (live) => live.job?.kind === 'compaction');
  const [{ cutAt, instructions, model: wanted }, choose] = useChoices(session);
  const [isSending, setSending] = useState(false);
  // What was chosen stays chosen when the session goes on, as long as it is still a place to cut.
  const cut = (cutAt === null ? null : figures.cutBefore(cutAt)) ?? figures.first;
  const model = preview.models.find((item) => wanted !== null && keyOf(item) === keyOf(wanted)) ?? preview.models[0];
  const firstKept = cut === null ? undefined : preview.items[cut]?.id;

  async function start(review?: boolean): Promise<void> {
    setSending(true);
    const begun = await compactSession(app, session.id, {
      instructions: instructions.trim(),
      cutAt: firstKept,
      ...(wanted && model ? { model: { provider: model.provider, modelId: model.modelId } } : {}),
      ...(review ? { review } : {}),
    });
    setSending(false);
    if (!begun) return;
    choose(null);
    onClose();
  }

  const makesRoom = cut !== null && figures.at(cut).gain > 0;
  const canStart = firstKept !== undefined && !isCompacting && !isSending;
  return (
    <div className={styles.sheet}>
      <Remarks figures={figures} problem={problem} isCompacting={isCompacting} />
      {cut !== null && model && figures.isLong(cut, model) && <LongJob figures={figures} cut={cut} model={model} />}
      <div className={styles.window}>
        <CutList figures={figures} cut={cut} onMove={(to) => choose({ cutAt: preview.items[to]?.id ?? null })} />
        {cut !== null && <CutRail figures={figures} cut={cut} model={model} />}
      </div>
      <InstructionsBox value={instructions} onChange={(text) => choose({ instructions: text })} />
      <div className={styles.buttons}>
        <Button tone={makesRoom ? 'amber' : 'default'} disabled={!canStart} onClick={() => void start()}>
          <Glyph name="compaction" size={11} plain /> Compact
        </Button>
        <Button disabled={!canStart} onClick={() => void start(true)}>
          Review the summary first
        </Button>
        <span className={styles.space} />
        <SummariserPicker models={preview.models} chosen={model} onChoose={(ref) => choose({ model: ref })} />
        <Button onClick={onClose}>
          Cancel <Kbd>Esc</Kbd>
        </Button>
      </div>
    </div>
  );
}

const PROPOSED = { cutAt: null, instructions: '', model: null };

/** What is chosen, kept in the window while the session stands where it stands: closing the sheet loses nothing (SH3). Null forgets it. */
function useChoices(
  session: OpenSession,
): [Omit<SheetChoices, 'leafId'>, (change: Partial<SheetChoices> | null) => void] {
  const app = useApp();
  const leafId = useLive(session, (live) => live.leafId);
  const kept = useUi((ui) => own(ui.sheets, session.id));
  // The session may go on while the sheet is open: what was chosen here stays.
  const [openedAt] = useState(leafId);
  const choices = kept?.leafId === leafId || kept?.leafId === openedAt ? kept : undefined;
  const choose = (change: Partial<SheetChoices> | null): void =>
    app.ui.setState((ui) => ({
      sheets: { ...ui.sheets, [session.id]: change ? { ...PROPOSED, ...choices, ...change, leafId } : undefined },
    }));
  return [choices ?? PROPOSED, choose];
}

/** What the person should know before they choose, in one line each. */
function Remarks({
  figures,
  problem,
  isCompacting,
}: {
  figures: PreviewFigures;
  problem: string | null;
  isCompacting: boolean;
}) {
  const { nothing, models, limits, tokensBefore } = figures.preview;
  return (
    <>
      {limits.isReserveTooLarge && (
        <Notice level="warning">
          The reserve for the answer that is set is not below this model’s context window of{' '}
          {formatTokens(limits.window ?? 0)} tokens. {formatTokens(limits.reserve ?? 0)}, 15% of it, are kept free
          instead. Change it in Settings, Context.
        </Notice>
      )}
      {problem !== null && <Notice level="warning">These numbers may be out of date: {problem}</Notice>}
      {isCompacting && <Notice>A compaction is running. You can start another when it finishes.</Notice>}
      {nothing && (
        <Notice>
          {figures.cuts.length === 0
            ? `${nothing.text}.`
            : limits.threshold !== null && tokensBefore > limits.threshold
              ? 'The context is too full, but little came since the last cut. Compact where the line is, or move it. Where the last summary is what fills it, undo or shorten that.'
              : 'Nothing needs compacting yet. You can still compact where the line is, or move it.'}
        </Notice>
      )}
      {models.length === 0 && (
        <Notice level="warning">
          No model can write the summary here. Choose a model for this session, or set one up in Settings, Providers.
        </Notice>
      )}
    </>
  );
}

/** Said before a job of many requests (SH2). */
function LongJob({ figures, cut, model }: { figures: PreviewFigures; cut: number; model: SummaryModel }) {
  const { requests } = figures.work(cut, model);
  const minutes = Math.max(1, Math.round(figures.duration(cut, model) / 60_000));
  const cost = figures.cost(cut, model);
  const price =
    cost === null ? 'its price is not known' : cost === 0 ? 'costs nothing' : `costs about ${formatCost(cost)}`;
  return (
    <Notice>
      A long job: about {requests.toLocaleString('en')} requests to {visibleString(model.name)}. It takes about{' '}
      {plural(minutes, 'minute')}, and {price}. A line further up takes fewer.
    </Notice>
  );
}
