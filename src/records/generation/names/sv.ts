import { words } from '../names.ts'
import type { Names } from '../names.ts'

export const SV: Names = {
  firstNames: words(`
    Anna Eva Maria Karin Kristina Lena Kerstin Sara Emma Ingrid Malin Marie Jenny Linda Birgitta Annika Hanna Susanne Johanna
    Sofia Elin Monica Julia Ida Elisabeth Helena Ulrika Camilla Åsa Matilda Klara Alva Ebba Astrid Lars Anders Mikael Johan Per
    Erik Karl Peter Jan Thomas Daniel Fredrik Andreas Hans Magnus Mats Stefan Bengt Jonas Marcus Niklas Emil Viktor Oskar Gustav
    Henrik Martin Patrik Robert Simon Filip Axel Hugo Nils Olle Björn
  `),
  surnames: words(`
    Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Pettersson Jonsson Jansson Hansson
    Bengtsson Jönsson Lindberg Jakobsson Magnusson Lindström Olofsson Lindqvist Lindgren Berg Axelsson Bergström Lundberg Lind
    Lundgren Lundqvist Mattsson Berglund Fredriksson Sandberg Henriksson Forsberg Sjöberg Wallin Engström Danielsson Eklund
    Håkansson Lundin Gunnarsson Holm Bergman Björk Fransson Wikström Isaksson Bergqvist Arvidsson Nyström Holmberg Löfgren
    Söderberg Nyberg Claesson Blomqvist Mårtensson Nordström Lundström Eliasson Pålsson Björklund Viklund Berggren Sandström Nordin
    Ström Hermansson Åberg Ekström Holmgren Hedlund Dahlberg Sundberg Hellström Sjögren Abrahamsson Martinsson Öberg Ek
    Falk Dahl Åkesson Månsson Norberg Hedman Blom Strand Sundström Åström Moberg Sund
  `),
  agencies: {
    names: words(`
      Nordanvind Fyrljus Kustlinje Kompass Morgonljus Björkhaga Strandskata Västanvind Blåklint Stjärnhimmel Ankare Lövsprång
    `),
    kinds: words('Media Digital Sök Innehåll Marknad SEO Kommunikation Webbyrå Synlighet'),
  },
  mailboxes: {
    general: words('info kontakt post mejl'),
    booking: 'bokning',
    reports: 'rapporter',
  },
}
