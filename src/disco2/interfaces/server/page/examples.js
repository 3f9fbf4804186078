'use strict';

/** Made-up texts to begin with; the first has versions that differ in one word. */
window.disco2.examples = [
  {
    name: 'Bob and Tina',
    versions: [
      { name: 'She', text: 'Bob gave Tina the burger. She was hungry.' },
      { name: 'He', text: 'Bob gave Tina the burger. He was hungry.' },
    ],
  },
  {
    name: 'A story',
    text:
      'Maria found an old map in the attic of her grandmother. It showed an island that no atlas knows. ' +
      'She asked her brother for his boat. Jonas laughed at the map. He had never believed in treasures. ' +
      'The next morning the boat was ready at the pier. Maria brought bread and a compass. ' +
      'By noon they saw the island.',
  },
  {
    name: 'News',
    text:
      'The city council approved a new tram line on Monday. The line will link the harbour with the university. ' +
      'Critics say that it costs too much. Mayor Anna Jensen defended the plan. ' +
      'She expects ten thousand passengers a day. Work begins in spring.',
  },
  {
    name: 'With connectives',
    text:
      'The oven was broken. However, Paul had promised a cake. Therefore, he called his sister. ' +
      'She owns a bakery. For example, she bakes for every wedding in town. ' +
      'Then she came with a cake of three layers. Paul was very happy.',
  },
  {
    name: 'Two paragraphs',
    text:
      'Bees find their way by the sun. On cloudy days they read the pattern of polarised light. ' +
      'A bee that has found flowers dances for the others. The dance tells them the direction.\n\n' +
      'Ants can\u2019t fly. They follow trails of scent instead. A trail fades after some minutes. ' +
      'The ants renew it with every journey.',
  },
];
