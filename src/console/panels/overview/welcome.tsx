import { currentKey } from '../../api/key.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Secret } from '../../parts/secret.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { toDay } from '../../../wording/times.ts'
import { hrefWith } from '../../state/location.ts'
import { daysLeft, partner } from '../../state/partner.ts'
import { beginTour, TOURS } from '../tours/tour-state.ts'

/** Greets a partner, and says what to try first. */
export function Welcome() {
  const { value } = partner
  const [finishes, runsDry] = TOURS
  if (!value || !finishes || !runsDry) return null
  const key = currentKey() ?? ''
  return (
    <Card
      class="welcome"
      title={
        <>
          Welcome, <bdi>{shorten(value.name, 120)}</bdi>: this world is yours until{' '}
          {toDay(value.expires_at)}
        </>
      }
    >
      <p class="note">
        <b>Keep your key</b>: <Secret text={key} />{' '}
        <CopyButton text={key} what="your key" title="Copy your key" />{' '}
        <span class="soft">
          Closing this tab forgets it, and the link that you were sent does not work again.
        </span>
      </p>
      <ol>
        <li>
          <a href={hrefWith({ panel: 'connect' })}>Send your first request</a>, with a token of
          yours
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(finishes)}>
            See a report finish
          </Button>
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(runsDry)}>
            See a token reach its limit
          </Button>
        </li>
      </ol>
      <p class="note">
        Change whatever you like:{' '}
        <a href={hrefWith({ panel: 'scenarios' })}>a reset of the world</a> takes it back to the
        beginning. Your tokens and your key stay.
      </p>
      {daysLeft(value) !== undefined && (
        <p class="note">
          <b>To go on after that, ask whoever invited you</b>: your world continues as it was.
        </p>
      )}
    </Card>
  )
}
