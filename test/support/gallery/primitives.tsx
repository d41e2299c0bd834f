import { useState } from 'react';
import { Pin, Plus, Search, Trash2 } from 'lucide-react';
import {
  BrandMark,
  Button,
  Chip,
  ContextMenu,
  Dialog,
  DropdownMenu,
  EmptyState,
  Field,
  Glyph,
  IconButton,
  Input,
  Kbd,
  Notice,
  Popover,
  Select,
  Spinner,
  SplitPane,
  Switch,
  Tabs,
  TextArea,
  Toasts,
  type MenuItem,
  type ToastItem,
} from '../../../src/renderer/ui';
import './gallery.css';

const items: MenuItem[] = [
  { kind: 'label', id: 'l', label: 'This session' },
  { id: 'pin', label: 'Pin', icon: <Pin size={14} />, hint: 'P', onSelect: () => window.gallery.opened.push('pin') },
  { id: 'rename', label: 'Rename', hint: 'F2', onSelect: () => undefined },
  { kind: 'check', id: 'auto', label: 'Compact by itself', checked: true, onChange: () => undefined },
  {
    kind: 'sub',
    id: 'more',
    label: 'Export',
    items: [{ id: 'jsonl', label: 'Session file', onSelect: () => undefined }],
  },
  { kind: 'separator', id: 's' },
  { id: 'delete', label: 'Delete', icon: <Trash2 size={14} />, danger: true, onSelect: () => undefined },
];

export default function Primitives() {
  const [open, setOpen] = useState(false);
  const [sheet, setSheet] = useState(false);
  const [on, setOn] = useState(true);
  const [model, setModel] = useState('sonnet');
  const [tab, setTab] = useState('context');
  const [size, setSize] = useState(220);
  const [collapsed, setCollapsed] = useState(false);
  const [toasts, setToasts] = useState<ToastItem[]>([]);
  return (
    <div className="g-page">
      <section>
        <h2>Buttons</h2>
        <div className="g-row">
          <Button tone="primary">Run once</Button>
          <Button>This session</Button>
          <Button tone="amber">◆ Compact</Button>
          <Button tone="outlineAmber" size="small">
            <Glyph name="compaction" /> Compact
          </Button>
          <Button tone="danger">Delete</Button>
          <Button tone="quiet">Cancel</Button>
          <Button disabled>Not now</Button>
          <Button tone="link">Summary</Button>
          <IconButton label="New session" shortcut="⌘N" tone="default">
            <Plus size={15} />
          </IconButton>
          <IconButton label="Pin" aria-pressed>
            <Pin size={15} />
          </IconButton>
        </div>
        <h2>Marks</h2>
        <div className="g-row">
          <BrandMark size={48} />
          <BrandMark size={20} />
          <b>Espalier</b>
          <Glyph name="turn" label="Turn" />
          <Glyph name="compaction" label="Compaction" size={16} />
          <Glyph name="branchSummary" label="Branch summary" size={16} />
          <Glyph name="label" label="Label" size={14} />
          <Glyph name="head" />
          <Kbd>⌘K</Kbd>
          <Chip>
            <code>~/code/orders</code>
          </Chip>
          <Chip tone="violet">
            <Glyph name="branchSummary" size={10} /> branch: outbox table
          </Chip>
          <Chip tone="leaf">kept 61 of 64 facts</Chip>
          <Chip tone="blue">2 recoverable</Chip>
          <Chip tone="red">missing: PG_LOCK_TIMEOUT</Chip>
          <Chip tone="outline">summarise only the TODOs</Chip>
          <Spinner label="Loading" />
        </div>
        <h2>Fields</h2>
        <div className="g-row g-top">
          <Input
            aria-label="Search everything"
            placeholder="Search everything"
            lead={<Search size={14} />}
            end={<Kbd>⌘⇧F</Kbd>}
          />
          <Select
            label="Model"
            value={model}
            onChange={setModel}
            options={[
              { value: 'sonnet', label: 'Sonnet 4.5', hint: '200k' },
              { value: 'opus', label: 'Opus 4.5', hint: '200k' },
            ]}
          />
          <TextArea aria-label="Instructions" defaultValue="Keep the rollback steps and every table name." />
        </div>
        <div className="g-card">
          <Field row label="Compact by itself" hint="When the window fills. /autocompact toggles it.">
            {(control) => <Switch {...control} checked={on} onChange={setOn} />}
          </Field>
          <Field row label="Background" hint="Prepared before it is needed.">
            {(control) => <Switch {...control} checked={!on} onChange={(value) => setOn(!value)} />}
          </Field>
          <Field row label="Keep recent messages" error="Must be between 1 and 1,000,000.">
            {(control) => <Input {...control} invalid defaultValue="0" />}
          </Field>
        </div>
        <h2>Overlays</h2>
        <div className="g-row">
          <DropdownMenu trigger={<Button>Menu</Button>} items={items} />
          <Popover trigger={<Button>Popover</Button>} label="Token meter">
            <b>85.6k</b> of 200k · reported by the provider
          </Popover>
          <Button onClick={() => setOpen(true)}>Dialog</Button>
          <Button onClick={() => setSheet(true)}>Sheet</Button>
          <Button
            onClick={() =>
              setToasts([
                ...toasts,
                {
                  id: String(toasts.length),
                  level: 'success',
                  text: 'Session deleted.',
                  action: { label: 'Undo', onSelect: () => undefined },
                },
              ])
            }
          >
            Toast
          </Button>
          <ContextMenu items={items}>
            <span className="g-context">right-click me</span>
          </ContextMenu>
        </div>
      </section>
      <section>
        <h2>Notices</h2>
        <div className="g-stack">
          <Notice title="Two entries could not be read" level="warning" onDismiss={() => undefined}>
            They stay in the file. Everything else is here.
          </Notice>
          <Notice level="error" title="Could not save: the disk is full" actions={<Button size="small">Retry</Button>}>
            Nothing already shown is lost. Free some space, then retry.
          </Notice>
          <Notice>The demo model is a script. It works offline.</Notice>
        </div>
        <h2>Tabs</h2>
        <div className="g-tabs">
          <Tabs
            label="Settings"
            orientation="vertical"
            value={tab}
            onChange={setTab}
            items={['Models', 'Context', 'Tools', 'Appearance'].map((label) => ({
              value: label.toLowerCase(),
              label,
              content: <div className="g-pane">{label}</div>,
            }))}
          />
        </div>
        <h2>Split</h2>
        <div className="g-split">
          <SplitPane
            fixedSide="start"
            size={size}
            min={160}
            max={320}
            collapsed={collapsed}
            onSizeChange={setSize}
            onCollapsedChange={setCollapsed}
            label="Resize sessions"
            fixed={<div className="g-pane g-sunken">Sessions</div>}
          >
            <div className="g-pane">Transcript</div>
          </SplitPane>
        </div>
        <div className="g-split g-empty">
          <EmptyState
            icon={<BrandMark size={40} />}
            title="Nothing here yet"
            actions={<Button tone="primary">Try the demo model</Button>}
          >
            Ask something below. A session is a tree: every try stays.
          </EmptyState>
        </div>
      </section>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Open this address?"
        lead="It opens in your browser."
        footer={
          <>
            <Button tone="primary">Open</Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </>
        }
      >
        <code>https://example.com/</code>
      </Dialog>
      <Dialog open={sheet} onOpenChange={setSheet} title="Settings" size="large" hideTitle flush>
        <div className="g-pane">A large sheet</div>
      </Dialog>
      <Toasts items={toasts} onDismiss={(id) => setToasts((now) => now.filter((item) => item.id !== id))} />
    </div>
  );
}
