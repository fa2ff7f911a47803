/// A page, which renders its parts without side effects.
package protocol HTMLPage: Sendable {
    /// The status of the response, which is 200 by default.
    var status: Int { get }

    /// Returns the parts of the page in the language and with the URLs of the context.
    func parts(in context: PageContext) -> PageParts
}

extension HTMLPage {
    package var status: Int { 200 }
}

/// The values that all pages of a response have in common.
package struct PageContext: Sendable {
    let texts: PageTexts
    let urls: PageURLs
    let showsLogos: Bool
}

/// The parts of a page that differ between pages.
package struct PageParts: Sendable {
    /// The heading, which is also the title.
    var heading: HTML
    var title: String
    /// The first error, which the title begins with, so that screen readers announce it first.
    var error: String?
    /// The content after the heading.
    var content: HTML
    var isLeftByForm = false
    var showsLogo = false

    /// Creates the parts of a page whose heading contains no values.
    init(_ heading: String, error: String? = nil, content: HTML) {
        self.heading = HTML { $0.text(heading) }
        title = heading
        self.error = error
        self.content = content
    }

    /// Creates the parts of a page whose heading contains values.
    init(
        _ heading: PageText,
        with values: [PageText.Placeholder: UntrustedText],
        in texts: PageTexts,
        content: HTML
    ) {
        self.heading = texts.html(heading, with: values)
        title = texts(heading, with: values)
        self.content = content
    }
}
