package import LatchkeyCourier
package import LatchkeyWire

/// The properties of a page that its response's header fields depend on.
package struct PageHeaders: Hashable, Sendable {
    /// Whether a form of the page can lead to a client or to an external return address.
    ///
    /// Chromium applies `form-action` to the redirects after a submission, too, so such pages can't have it.
    package var isLeftByForm: Bool
    /// Whether the page shows the logo of a client, which any `https` host may serve.
    package var showsLogo: Bool
    package var language: Language

    package init(language: Language, isLeftByForm: Bool = false, showsLogo: Bool = false) {
        self.language = language
        self.isLeftByForm = isLeftByForm
        self.showsLogo = showsLogo
    }

    /// The header fields of a response with an HTML page.
    package var fields: HTTP.Headers {
        [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Language": language.rawValue,
            "Content-Security-Policy": policy,
            // For browsers that don't support `frame-ancestors`.
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            // With `no-referrer`, browsers would send `Origin: null` with the forms.
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
            "Vary": "Cookie, Accept-Language",
        ]
    }

    private var policy: String {
        var directives = [
            "default-src 'none'", "style-src 'self'", "img-src 'self' data:" + (showsLogo ? " https:" : ""),
        ]
        if !isLeftByForm { directives.append("form-action 'self'") }
        return (directives + ["base-uri 'none'", "frame-ancestors 'none'"]).joined(separator: "; ")
    }
}
