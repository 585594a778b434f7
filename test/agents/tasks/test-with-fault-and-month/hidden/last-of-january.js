/** Imported before a test: the machine's clock shows the last day of January, from which a month on is no date of February. */
const RealDate = globalThis.Date
const offsetMs = RealDate.UTC(2027, 0, 31, 22, 30) - RealDate.now()

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + offsetMs)
    else super(...values)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}
