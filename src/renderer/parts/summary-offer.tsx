import type { ModelRef } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { useLive, useSession, useSettings } from '../state/hooks';
import { modelsToOffer } from '../state/summary-offer';
import { Button } from '../ui';
import styles from './summary-offer.module.css';

interface SummaryOfferProps {
  tried: readonly ModelRef[];
  onTry: (model: ModelRef) => void;
}

/** The other models that can write a summary, once for this job. Nothing if there are none. */
export function SummaryOffer({ tried, onTry }: SummaryOfferProps) {
  const session = useSession();
  const providers = useSettings((state) => state.providers);
  const own = useLive(session, (live) => live.model);
  const offered = modelsToOffer(providers, tried, own);
  if (offered.length === 0) return null;
  return (
    <div className={styles.offer}>
      <p>Another model can write it this once. The text to summarise is then sent to its provider.</p>
      <ul>
        {offered.map(({ ref, name, provider, price }) => (
          <li key={`${ref.provider}/${ref.modelId}`}>
            <Button size="small" onClick={() => onTry(ref)}>
              Try with {visibleString(name)}
            </Button>
            <span>
              {provider} · {price}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
