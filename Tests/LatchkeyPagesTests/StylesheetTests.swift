import Glibc
import Testing

@testable import LatchkeyPages

@Suite struct `The stylesheet` {
    enum Scheme: CaseIterable {
        case light, dark
    }

    /// Pairs of variables for text and its background, which need 4.5:1 (WCAG 2.2, 1.4.3).
    private static let texts = [
        ("text", "page"), ("text", "card"), ("muted", "card"), ("accent", "card"), ("on-accent", "accent"),
        ("error", "card"), ("error", "error-page"), ("status", "status-page"),
    ]

    /// Pairs of variables for borders and the focus, which need 3:1 (WCAG 2.2, 1.4.11).
    private static let borders = [
        ("line", "card"), ("accent", "card"), ("error", "card"), ("error", "error-page"), ("status", "card"),
    ]

    /// Returns the colours of a scheme, keyed by the names of their variables.
    private func colours(_ scheme: Scheme) -> [String: String] {
        let parts = PageAsset.stylesheetText.split(separator: "@media (prefers-color-scheme: dark)")
        let text = scheme == .light ? parts[0] : parts[1]
        var colours: [String: String] = [:]
        for match in text.matches(of: /--([a-z-]+): #([0-9a-f]{6});/) {
            colours[String(match.1)] = String(match.2)
        }
        return colours
    }

    private func luminance(_ colour: String) -> Double {
        let value = Int(colour, radix: 16) ?? 0
        let channels = [16, 8, 0].map { (shift: Int) -> Double in
            let channel = Double(value >> shift & 255) / 255
            return channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    private func contrast(_ pair: (String, String), in scheme: Scheme) throws -> Double {
        let colours = colours(scheme)
        let values = [try #require(colours[pair.0]), try #require(colours[pair.1])].map(luminance).sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    @Test(arguments: Scheme.allCases) func `Text and borders have enough contrast`(_ scheme: Scheme) throws {
        for pair in Self.texts { #expect(try contrast(pair, in: scheme) >= 4.5, "\(pair)") }
        for pair in Self.borders { #expect(try contrast(pair, in: scheme) >= 3, "\(pair)") }
    }

    @Test func `Both schemes define the same colours, and rules only use these`() {
        #expect(Set(colours(.light).keys) == Set(colours(.dark).keys))
        let text = PageAsset.stylesheetText
        let used = Set(text.matches(of: /var\(--([a-z-]+)\)/).map { String($0.1) })
        #expect(used == Set(colours(.light).keys))
        #expect(text.matches(of: /#[0-9a-f]{3,6}/).count == 2 * colours(.light).count)
    }

    @Test func `All classes have rules, and all rules belong to a class that pages use`() {
        let rules = Set(PageAsset.stylesheetText.matches(of: /\.([a-z]+)/).map { String($0.1) })
        #expect(rules == Set(HTML.ClassName.allCases.map(\.rawValue)))
    }

    @Test func `No file of another host is loaded, and the focus stays visible`() {
        let text = PageAsset.stylesheetText
        #expect(!text.contains("url(") && !text.contains("@import") && !text.contains("http"))
        #expect(text.contains(":focus-visible { outline: 3px solid"))
        #expect(!text.contains("outline: none") && !text.contains("outline: 0"))
    }
}
