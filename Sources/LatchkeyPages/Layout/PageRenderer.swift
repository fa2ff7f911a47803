package import LatchkeyCourier
package import LatchkeySelfService
package import LatchkeyWire

/// Renders pages as complete responses.
package struct PageRenderer: Sendable {
    package let urls: PageURLs
    private let texts: FormTranslations
    private let service: UntrustedText?
    private let showsLogos: Bool

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - texts: The texts of forms with the operator's replacements, which also apply to pages.
    ///   - urls: The URLs that pages link to.
    ///   - service: The name of the operator's service, which is shown above each page.
    ///   - showsLogos: Whether pages load the logos of clients.
    package init(
        texts: FormTranslations,
        urls: PageURLs,
        service: String? = nil,
        showsLogos: Bool = false
    ) {
        self.texts = texts.addingPages()
        self.urls = urls
        self.service = service.map { UntrustedText($0) }
        self.showsLogos = showsLogos
    }

    /// Returns the response with a page.
    package func response(with page: some HTMLPage, in language: Language) -> HTTP.Response {
        let context = PageContext(
            texts: texts.pages(in: language),
            urls: urls,
            showsLogos: showsLogos
        )
        let parts = page.parts(in: context)
        let headers = PageHeaders(
            language: language,
            isLeftByForm: parts.isLeftByForm,
            showsLogo: parts.showsLogo
        )
        return HTTP.Response(
            page.status,
            headers: headers.fields,
            body: document(parts, in: language).bytes
        )
    }

    private func document(_ parts: PageParts, in language: Language) -> HTML {
        HTML { html in
            html.doctype()
            html.add(.html, with: [.language(language.rawValue)]) { html in
                head(title: title(of: parts), to: &html)
                html.add(.body) { html in
                    if let service {
                        html.add(.header) { html in
                            html.add(.paragraph, with: [.style(.brand)]) { $0.untrusted(service) }
                        }
                    }
                    html.add(.main) { html in
                        html.add(.heading) { $0.append(parts.heading) }
                        html.append(parts.content)
                    }
                }
            }
        }
    }

    private func title(of parts: PageParts) -> String {
        [parts.error, parts.title, service?.isolated].compactMap { $0 }.joined(separator: " – ")
    }

    private func head(title: String, to html: inout HTML) {
        html.add(.head) { html in
            html.add(.meta, with: [.utf8])
            html.add(.meta, with: HTML.Attribute.viewport)
            html.add(.title) { $0.text(title) }
            html.add(.resource, with: [.stylesheet, .href(urls.asset(.stylesheet))])
            html.add(.resource, with: HTML.Attribute.svgIcon + [.href(urls.asset(.icon))])
        }
    }
}
