extension PageAsset {
    /// The stylesheet of all pages.
    ///
    /// Text has a contrast of at least 4.5:1, and borders and the focus have at least 3:1. Controls have a border
    /// of their own, because backgrounds disappear in Windows's contrast themes.
    static let stylesheetText = """
        :root {
          color-scheme: light dark;
          --page: #f3f4f7;
          --card: #ffffff;
          --text: #1b1d21;
          --muted: #545963;
          --line: #767b87;
          --accent: #1a56b8;
          --on-accent: #ffffff;
          --error: #b3261e;
          --error-page: #fdeeec;
          --status: #1a6334;
          --status-page: #eaf6ee;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #15171b;
            --card: #1f2228;
            --text: #f0f1f4;
            --muted: #b6bbc6;
            --line: #8b919e;
            --accent: #8ab4f8;
            --on-accent: #10203c;
            --error: #ffb4ab;
            --error-page: #3a1c1a;
            --status: #92d9a8;
            --status-page: #16301f;
          }
        }
        *, ::before, ::after { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0;
          padding: 1rem;
          background: var(--page);
          color: var(--text);
          overflow-wrap: anywhere;
        }
        header, main { max-width: 28rem; margin: 0 auto; }
        main {
          padding: 1.5rem;
          background: var(--card);
          border: 1px solid var(--line);
          border-radius: .75rem;
        }
        .brand { margin: .5rem 0 1rem; font-weight: 600; text-align: center; }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
        legend { margin: 0 0 .5rem; padding: 0; font-size: 1rem; font-weight: 600; }
        p, ul, fieldset { margin: 0 0 1rem; }
        a { color: var(--accent); text-underline-offset: .15em; }
        fieldset { padding: 0; border: 0; }
        .logo { display: block; margin: 0 0 1rem; border-radius: .5rem; object-fit: contain; }
        .alert, .status { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; }
        .alert { border-left-width: .5rem; color: var(--error); background: var(--error-page); }
        .status { color: var(--status); background: var(--status-page); }
        .alert p, .alert ul, .status p { margin: 0; }
        .alert ul { padding: 0; list-style: none; }
        .alert a { color: inherit; }
        .field { margin: 0 0 1rem; }
        .field > label { display: block; margin: 0 0 .25rem; font-weight: 600; }
        .error { margin: .25rem 0 0; color: var(--error); }
        .hint { margin: .25rem 0 0; color: var(--muted); }
        input {
          width: 100%;
          min-height: 2.75rem;
          padding: .5rem .75rem;
          font: inherit;
          color: inherit;
          background: var(--card);
          border: 1px solid var(--line);
          border-radius: .5rem;
        }
        input[aria-invalid] { border: 2px solid var(--error); }
        input[type=checkbox] { width: 1.5rem; min-height: 1.5rem; flex: none; accent-color: var(--accent); }
        .check { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; }
        button, a.primary, a.secondary {
          display: block;
          width: 100%;
          min-height: 2.75rem;
          margin: 0 0 .75rem;
          padding: .5rem 1rem;
          font: inherit;
          font-weight: 600;
          text-align: center;
          text-decoration: none;
          border: 2px solid var(--accent);
          border-radius: .5rem;
          cursor: pointer;
        }
        .primary { color: var(--on-accent); background: var(--accent); }
        .secondary { color: var(--accent); background: var(--card); }
        button:hover, a.primary:hover, a.secondary:hover { text-decoration: underline; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .actions { margin: 1.5rem 0 0; }
        .links, .sections, .sessions { padding: 0; list-style: none; }
        .links { margin: 1rem 0 0; }
        .links a { display: inline-block; padding: .5rem 0; }
        .sections { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
        .sections a { display: inline-block; padding: .5rem 0; }
        .sections [aria-current] { font-weight: 600; color: var(--text); }
        .sessions li { padding: .75rem 0; border-top: 1px solid var(--line); }
        .sessions p { margin: 0 0 .5rem; }
        .words { white-space: pre-line; }
        .unseen {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
          white-space: nowrap;
        }

        """
}
