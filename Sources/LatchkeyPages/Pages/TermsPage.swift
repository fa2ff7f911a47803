import LatchkeyModel
package import LatchkeySelfService
import LatchkeyWire

/// The page with a published text, which is the same for all visitors.
package struct TermsPage: HTMLPage {
    package let document: TermsDocument
    package let version: TermsVersion
    package let text: TermsText
    /// The words of the text.
    package let words: String

    package init(_ document: TermsDocument, version: TermsVersion, text: TermsText, words: String) {
        (self.document, self.version, self.text, self.words) = (document, version, text, words)
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let content = HTML { html in
            let date = UntrustedText(String(version.effectiveAt.description.prefix(10)))
            let number = UntrustedText(String(version.number))
            html.paragraph(texts.html(.termsVersion, with: [.count: number, .time: date]), style: .hint)
            if !text.summary.isEmpty {
                html.add(.group, with: [.style(.status)]) { html in
                    html.add(.paragraph) { html in html.add(.strong) { $0.text(texts(.termsChanges)) } }
                    html.add(.group, with: attributes) { paragraphs(text.summary, in: &$0) }
                }
            }
            html.add(.group, with: attributes) { paragraphs(words, in: &$0) }
            html.links(links(in: context))
        }
        let title = document.title(in: text.language)
        var parts = PageParts(title, content: content)
        parts.heading = HTML { html in html.add(.span, with: attributes) { $0.text(title) } }
        return parts
    }

    /// The language of the text, which may be none of the languages of pages, and its direction.
    private var attributes: [HTML.Attribute] { [.language(text.language), .automaticDirection] }

    /// Appends the paragraphs of a text, which are separated by empty lines.
    private func paragraphs(_ text: String, in html: inout HTML) {
        for paragraph in TermsPage.paragraphs(of: text) {
            html.paragraph(paragraph, style: .words)
        }
    }

    /// Returns the paragraphs of a text, whose lines may end with any kind of line break.
    package static func paragraphs(of text: String) -> [String] {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        var paragraphs: [[Substring]] = [[]]
        for line in lines {
            if line.allSatisfy(\.isWhitespace) {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(line)
            }
        }
        return paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }

    /// Returns links to the other languages.
    private func links(in context: PageContext) -> [HTML.Anchor] {
        version.texts.filter { $0.language != text.language }.map { other in
            let label = HTML { html in
                html.add(.span, with: [.language(other.language)]) {
                    $0.text(Self.names[other.language] ?? other.language)
                }
            }
            let address = Route.terms(document.key, version: version.number, language: other.language)
            return HTML.Anchor(label, to: context.urls.own(address))
        }
    }

    /// The names of common languages in themselves.
    private static let names = [
        "da": "Dansk", "de": "Deutsch", "en": "English", "es": "Español", "et": "Eesti", "fi": "Suomi",
        "fr": "Français", "is": "Íslenska", "it": "Italiano", "lt": "Lietuvių", "lv": "Latviešu",
        "nb": "Norsk bokmål", "nl": "Nederlands", "nn": "Norsk nynorsk", "no": "Norsk", "pl": "Polski",
        "pt": "Português", "se": "Davvisámegiella", "sv": "Svenska", "uk": "Українська",
    ]
}
