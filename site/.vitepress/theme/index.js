import Theme from 'vitepress/theme-without-fonts'
import { RunExample } from './run-example.js'
import './style.css'

/** @type {import('vitepress').Theme} */
const theme = {
  extends: Theme,
  enhanceApp({ app }) {
    app.component('RunExample', RunExample)
  },
}

export default theme
