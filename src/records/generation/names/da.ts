import { words } from '../names.ts'
import type { Names } from '../names.ts'

export const DA: Names = {
  firstNames: words(`
    Anne Mette Kirsten Hanne Anna Helle Maria Susanne Lene Marianne Lone Camilla Pia Louise Charlotte Bente Tina Gitte Inge
    Karen Julie Jette Line Emma Sofie Ida Freja Laura Mathilde Cecilie Katrine Sara Rikke Trine Signe Nanna Peter Jens Michael
    Lars Henrik Thomas Søren Jan Christian Martin Niels Anders Morten Jesper Hans Mads Rasmus Per Ole Simon Mikkel Jakob
    Kasper Frederik Emil Magnus Oliver Mathias Jonas Nikolaj Kristian Torben
  `),
  surnames: words(`
    Nielsen Jensen Hansen Andersen Pedersen Christensen Larsen Sørensen Rasmussen Jørgensen Petersen Madsen Kristensen Olsen
    Thomsen Christiansen Poulsen Johansen Møller Mortensen Knudsen Jakobsen Jacobsen Mikkelsen Frederiksen Laursen Henriksen
    Lund Holm Schmidt Eriksen Kristiansen Clausen Simonsen Svendsen Andreasen Iversen Jeppesen Mogensen Jespersen Nissen Lauridsen
    Frandsen Østergaard Jepsen Kjær Carlsen Vestergaard Nørgaard Dahl Christoffersen Søndergaard Bertelsen Bruun Lassen Bach Friis
    Kjeldsen Steffensen Krogh Lauritsen Danielsen Mathiesen Andresen Brandt Winther Toft Ravn Mathiasen Dam Holst Nilsson Lind
    Berg Schou Overgaard Kristoffersen Schultz Klausen Karlsen Paulsen Hermansen Thorsen Koch Thygesen Bak Kruse Bang Juhl Davidsen
    Berthelsen Nygaard Lorentzen Villadsen Bjerregaard
  `),
  agencies: {
    names: words(`
      Kystlinje Nordvind Fjordlys Havblik Morgenlys Lyngbakke Strandvej Kompas Fyrtårn Birkelund Blåregn Tinghøj
    `),
    kinds: words('Synlighed Søgning Digital Medier Indhold Marketing SEO Webbureau Kommunikation'),
  },
  mailboxes: {
    general: words('kontakt info post mail'),
    booking: 'booking',
    reports: 'rapporter',
  },
}
