import { words } from '../names.ts'
import type { Names } from '../names.ts'

export const DE: Names = {
  firstNames: words(`
    Anna Maria Ursula Monika Petra Sabine Renate Karin Brigitte Andrea Susanne Claudia Birgit Stefanie Nicole Julia Katharina
    Christine Martina Heike Gabriele Silke Anja Melanie Sandra Laura Lena Lisa Sarah Johanna Sophie Emma Hannah Marie Clara
    Thomas Michael Andreas Peter Stefan Christian Hans Klaus Wolfgang Jürgen Martin Frank Markus Daniel Jan Sebastian Alexander
    Tobias Matthias Florian Philipp Lukas Felix Jonas Maximilian Paul Leon Tim Niklas Jens Uwe Bernd Ralf Holger Dirk Sven
  `),
  surnames: words(`
    Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder
    Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Schmitz Krause Meier Lehmann Schmid Schulze
    Maier Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich
    Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus
    Schumacher Krämer Vogt Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf Schulte Dietrich Ziegler Kuhn
    Kühn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer
  `),
  agencies: {
    names: words(`
      Nordlicht Leuchtturm Kompass Weitblick Morgenrot Lindenhof Uferweg Sternwarte Rückenwind Silberfuchs Blattwerk Ankerplatz
    `),
    kinds: words(
      'Media Digital Online Suchmarketing Content Kommunikation SEO Webagentur Sichtbarkeit',
    ),
  },
  mailboxes: {
    general: words('info kontakt post mail'),
    booking: 'termine',
    reports: 'berichte',
  },
}
