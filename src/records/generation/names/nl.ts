import { words } from '../names.ts'
import type { Names } from '../names.ts'

export const NL: Names = {
  firstNames: words(`
    Maria Anna Johanna Elisabeth Cornelia Wilhelmina Linda Monique Sandra Esther Marieke Anouk Sanne Lotte Femke Fleur Lisa
    Emma Julia Sophie Eva Iris Anne Marloes Ingrid Petra Annemarie Karin Marjolein Wendy Saskia Ilse Nienke Roos Jan Johannes
    Cornelis Hendrik Willem Pieter Peter Erik Mark Marcel Bas Jeroen Martijn Sander Daan Thijs Bram Lars Ruben Tim Niels Joost
    Maarten Koen Stijn Jasper Wouter Rob Henk Kees Gerard Frank Dennis Michiel Rik Tom
  `),
  surnames: words(`
    Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Brouwer Dijkstra Smits Koster Prins Bosman Huisman
    Postma Kuipers Kok Jacobs Vermeulen Schouten Willems Verhoeven Hermans Hoekstra Verbeek Koning Kramer Groen Scholten Veenstra
    Kuiper Wolters Gerritsen Driessen Sanders Blom Martens Maas Boon Molenaar Veldman Timmermans Swart Mol
    Schipper Hofman Lammers Wagenaar Janssen Janssens Evers Boersma Aalbers Goossens Roos Zwart Bosch Verschoor Heijnen Kooij
    Ruiter Schaap Versteeg Bouwman Hoogland Molenaars Kroon Cornelissen Berends Wouters Teunissen Peeters Kusters Rietveld Bruins
    Vink Bouma Hoek Zijlstra Lubbers Vissers Terpstra Brands Gerrits Hulst Langen Pronk Ketelaars Slot
  `),
  agencies: {
    names: words(`
      Waterlijn Vuurtoren Kompas Zeewind Polderlicht Lindelaan Oeverzicht Windroos Blauwdruk Duinpan Boeg IJsvogel
    `),
    kinds: words('Media Digital Zoekmarketing Content Marketing SEO Communicatie Webbureau Online'),
  },
  mailboxes: {
    general: words('info contact post mail'),
    booking: 'reserveren',
    reports: 'rapporten',
  },
}
