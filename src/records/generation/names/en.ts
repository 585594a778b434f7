import { words } from '../names.ts'
import type { Names } from '../names.ts'

export const EN: Names = {
  firstNames: words(`
    Susan Margaret Julie Karen Helen Sarah Emma Claire Rebecca Laura Rachel Charlotte Hannah Lucy Jessica Amy Sophie Emily Olivia
    Chloe Grace Ruth Alison Jane Fiona Catherine Elizabeth Victoria Joanne Nicola Amanda Louise Holly Megan Priya Aisha David
    John Michael Peter Paul Andrew Mark Stephen Richard James Robert Christopher Daniel Matthew Thomas Simon Ian Neil Adam
    Benjamin Samuel Oliver Jack Harry George William Joseph Luke Ryan Callum Jamie Martin Graham Stuart Imran Owen
  `),
  surnames: words(`
    Smith Jones Taylor Brown Williams Wilson Johnson Davies Robinson Wright Thompson Evans Walker White Roberts Green Hall Wood
    Jackson Clarke Patel Khan Lewis James Phillips Mason Mitchell Rose Davis Cox Alexander Allen Anderson Baker Bailey Barker
    Barnes Bell Bennett Butler Campbell Carter Chapman Collins Cook Cooper Dixon Edwards Ellis Fisher Foster Fox Gibson Graham
    Gray Griffiths Harris Harrison Harvey Hill Holmes Hughes Hunt Hunter Jenkins Kelly Kennedy King Knight Lee Lloyd Marshall
    Martin Matthews Miller Mills Moore Morgan Morris Murphy Murray Owen Palmer Parker Pearson Powell Price Reid Reynolds
    Richards Richardson Rogers Russell Scott Shaw Simpson Stevens Stewart Thomas Turner Walsh Ward Watson Webb Young
  `),
  agencies: {
    names: words(`
      Northlight Harbour Foxglove Brightwater Copperfield Larkspur Redbrick Tidewater Millstone Greenlane Kingfisher Waypoint
    `),
    kinds: words('Media Digital Search Content Marketing SEO Communications Studio Online'),
  },
  mailboxes: {
    general: words('hello info enquiries office'),
    booking: 'bookings',
    reports: 'reports',
  },
}
