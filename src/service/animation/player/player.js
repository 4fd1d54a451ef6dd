/**
 * Draws an animated run and controls it (docs/guides/animation.md). The service's own page uses this file, and so do
 * existing clients (notes on real clients). These clients put player.html into their own page and call
 * `AnimationSVG.client`.
 */
(() => {
  /**
   * Time from an answer to the next request for a picture, in ms: while a run goes on, while it is paused, and after a
   * request that failed.
   */
  const BETWEEN_PICTURES = { RUNNING: 30, PAUSED: 300, lost: 1_000 };
  /** Multiples of the model's own speed. */
  const SPEEDS = [0.25, 0.5, 1, 2, 5, 10];
  const ENDED = { COMPLETED: 'Completed', STOPPED: 'Stopped', FAILED: 'Failed' };

  /**
   * The SVG elements that a picture may have. A picture is data from a model. It must not run scripts, load files or
   * contain links.
   */
  const ELEMENTS = new Set(
    (
      'svg g path rect circle ellipse line polyline polygon text tspan title desc defs linearGradient radialGradient ' +
      'stop clipPath mask pattern marker symbol'
    ).split(' '),
  );
  const ATTRIBUTES = new Set(
    (
      'id class viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy d points transform ' +
      'rotate textLength lengthAdjust pathLength offset gradientUnits gradientTransform spreadMethod clipPathUnits ' +
      'maskUnits maskContentUnits patternUnits patternContentUnits patternTransform markerWidth markerHeight ' +
      'markerUnits refX refY orient fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap ' +
      'stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit opacity color display visibility ' +
      'font-family font-size font-style font-weight letter-spacing text-anchor dominant-baseline baseline-shift ' +
      'stop-color stop-opacity clip-path clip-rule mask marker-start marker-mid marker-end paint-order ' +
      'shape-rendering text-rendering vector-effect role aria-label'
    ).split(' '),
  );
  const SVG = 'http://www.w3.org/2000/svg';

  /** Copies an element without its forbidden attributes and children. Returns null for a forbidden element. */
  function copy(element) {
    if (element.namespaceURI !== SVG || !ELEMENTS.has(element.localName)) return null;
    const result = document.createElementNS(SVG, element.localName);
    for (const { name, value } of element.attributes) {
      // url(…) may only name a part of the picture; a backslash could hide a url(…)
      const isLocal = !/url|\\/i.test(value) || /^url\(["']?#[\w.-]+["']?\)$/.test(value.trim());
      if (ATTRIBUTES.has(name) && isLocal) result.setAttribute(name, value);
    }
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) result.append(child.data);
      if (child.nodeType === Node.ELEMENT_NODE) {
        const copied = copy(child);
        if (copied) result.append(copied);
      }
    }
    return result;
  }

  /** @throws Error when the text is not an SVG document */
  function pictureOf(text) {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    const picture = parsed.querySelector('parsererror') ? null : copy(parsed.documentElement);
    if (!picture) throw new Error('The model drew something that is not SVG');
    return picture;
  }

  /** One animated run on one copy of player.html. */
  class Player {
    constructor(root, address, callbacks) {
      this.root = root;
      this.address = address;
      this.callbacks = callbacks;
      this.frame = null;
      this.drawn = '';
      this.over = false;
      this.choosing = false;
      this.wake = () => {};
      this.part('toggle').addEventListener('click', () => this.toggle());
      this.part('stop').addEventListener('click', () => this.end());
      this.part('full').addEventListener('click', () => this.toggleFullScreen());
      root.addEventListener('keydown', (event) => this.press(event));
      // on the service's own page the keys work wherever the focus is
      if (document.body.classList.contains('foray-page')) {
        document.body.addEventListener(
          'keydown',
          (event) => event.target === document.body && this.press(event),
        );
      }
    }

    part(name) {
      return this.root.querySelector(`.foray-${name}`);
    }

    /** Shows the run until it is over. */
    async follow() {
      while (!this.over) {
        const wait = await this.look();
        await new Promise((resolve) => {
          this.wake = resolve;
          setTimeout(resolve, wait);
        });
      }
    }

    /** Requests a picture and shows it. Returns the time until the next request, in ms. */
    async look() {
      let response;
      try {
        response = await fetch(`${this.address}/frame`);
        if (this.over) return 0;
        if (response.status === 404) {
          this.finish('This animated run is over or never existed');
          return 0;
        }
        if (!response.ok) throw new Error(`The service answers ${response.status}`);
        this.show(await response.json());
      } catch (error) {
        this.say(`${error.message}; trying again`, 'lost');
        return BETWEEN_PICTURES.lost;
      }
      return BETWEEN_PICTURES[this.frame.status] ?? 0;
    }

    show(frame) {
      if (!this.frame) this.begin(frame);
      this.frame = frame;
      if (frame.svg !== this.drawn) {
        this.part('stage').replaceChildren(pictureOf(frame.svg));
        this.drawn = frame.svg;
      }
      const running = frame.status === 'RUNNING';
      this.root.dataset.status = frame.status;
      this.part('label').textContent = running ? 'Pause' : 'Play';
      this.part('done').style.setProperty(
        'width',
        `${frame.end === 0 ? 100 : (100 * frame.time) / frame.end}%`,
      );
      this.part('time').textContent = `${written(frame.time, 1, 1)} of ${quantity(frame.end, frame.units)}`;
      this.showSpeed(frame);
      const reason = frame.reason ? `: ${frame.reason}` : '';
      if (frame.status in ENDED) return this.finish(ENDED[frame.status] + reason, frame.status);
      this.say(running ? 'Running' : 'Paused', frame.status);
    }

    begin({ model, nativeSpeed }) {
      this.part('model').textContent = model;
      if (document.body.classList.contains('foray-page')) document.title = `${model} · foray`;
      this.part('choices').replaceChildren(
        ...SPEEDS.map((factor) => {
          const label = document.createElement('label');
          const choice = document.createElement('input');
          choice.type = 'radio';
          choice.name = 'foray-speed';
          choice.value = String(factor * nativeSpeed);
          choice.addEventListener('change', () => this.setSpeed(choice.value));
          const words = document.createElement('span');
          words.textContent = `${{ 0.25: '¼', 0.5: '½' }[factor] ?? factor}×`;
          label.append(choice, words);
          return label;
        }),
      );
      for (const name of ['toggle', 'stop', 'speeds']) this.part(name).disabled = false;
    }

    showSpeed({ speed, units }) {
      if (this.choosing) return;
      for (const choice of this.part('choices').querySelectorAll('input')) {
        choice.checked = Number(choice.value) === Number(speed);
      }
      this.part('speed').textContent =
        speed === 'Infinity' ? 'as fast as the run can be drawn' : `${quantity(speed, units)} a second`;
    }

    say(words, status) {
      this.root.dataset.status = status;
      const place = this.part('status');
      // a screen reader reads every new text
      if (place.textContent !== words) place.textContent = words;
    }

    /** Ends the player for the reason in the text. The last picture stays. */
    finish(words, status = 'STOPPED') {
      if (this.over) return;
      this.over = true;
      this.say(words, status);
      for (const name of ['toggle', 'stop', 'speeds']) this.part(name).disabled = true;
      this.wake();
      this.callbacks.onstop?.();
    }

    toggle() {
      if (this.frame && !this.over)
        void this.tell(`command?cmd=${this.frame.status === 'PAUSED' ? 'run' : 'pause'}&parameters=`);
    }

    async setSpeed(speed) {
      // until the service has applied the new speed, pictures show the old speed
      this.choosing = true;
      await this.tell(`command?cmd=setspeed&parameters=${speed}`);
      this.choosing = false;
    }

    async end() {
      await this.tell('stop');
    }

    /** Sends a command to the run, and then requests a picture immediately. */
    async tell(what) {
      try {
        await fetch(`${this.address}/${what}`, { method: 'POST' });
      } catch (error) {
        this.say(error.message, 'lost');
      }
      this.wake();
    }

    /** Space pauses the run or lets it go on, and + and - change its speed. */
    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const onControl = event.target.closest?.('button, input');
      const step = { '+': 1, '-': -1 }[event.key];
      if (event.key === ' ' && !onControl) this.toggle();
      else if (step) this.stepSpeed(step);
      else return;
      event.preventDefault();
    }

    stepSpeed(step) {
      const choices = [...this.part('choices').querySelectorAll('input')];
      const next = choices[choices.findIndex((choice) => choice.checked) + step];
      if (!next || this.over) return;
      next.checked = true;
      void this.setSpeed(next.value);
    }

    toggleFullScreen() {
      if (this.callbacks.ontogglefullscreen) this.callbacks.ontogglefullscreen();
      else if (document.fullscreenElement) void document.exitFullscreen();
      else void this.root.requestFullscreen();
    }
  }

  function written(number, leastDigits, mostDigits) {
    return number.toLocaleString('en', {
      minimumFractionDigits: leastDigits,
      maximumFractionDigits: mostDigits,
    });
  }

  function quantity(number, units) {
    return `${written(number, 0, 2)} ${units.toLowerCase()}${number === 1 ? '' : 's'}`;
  }

  const callbacks = {};
  let player;
  const client = {
    /**
     * `onstop` is called when the player ends, for any reason. `ontogglefullscreen` replaces what "Full screen" does.
     */
    setCallback(name, callback) {
      callbacks[name] = callback;
    },
    /** @param info - the answer to `POST …/runs/animation`, and `host` */
    start({ host, restUrl, sessionUuid }) {
      player?.finish('Stopped');
      const root = document.getElementById('svg-video-container');
      player = new Player(root, `${host}/nodes/${restUrl}sessions/${sessionUuid}`, callbacks);
      void player.follow();
    },
    stop() {
      player?.finish('Stopped');
    },
  };
  window.AnimationSVG = { client };

  // the service's own page
  const own = /^(.*)\/nodes\/([^/]+\/)sessions\/([^/]+)\/?$/.exec(location.pathname);
  if (own && document.body.classList.contains('foray-page')) {
    const [, path, restUrl, sessionUuid] = own;
    client.start({ host: location.origin + path, restUrl, sessionUuid });
  }
})();
