import Foundation
import LatchkeyAccounts
import LatchkeyServer
import LatchkeyServerKit
import Testing

@Suite struct `Documentation of limits` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A limit in the table, with its default.
    private struct Limit {
        let name: String
        /// The elements of a list, or a single value.
        let values: [String]
    }

    /// Returns the limits in the first table of the page.
    ///
    /// If a row has several limits, only the first name begins with `limits.`, and each limit has one value.
    private static func documented() throws -> [Limit] {
        let page = try String(
            contentsOf: root.appending(path: "Documentation/limits.md"),
            encoding: .utf8
        )
        let table = page.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return try table.dropFirst(2).flatMap { row -> [Limit] in
            let cells = row.split(separator: "|").map { words(String($0)) }
            try #require(cells.count >= 2, "\(row)")
            let names = cells[0].map { $0.hasPrefix("limits.") ? $0 : "limits." + $0 }
            var values = cells[1]
            if values.last == "each" { values = Array(repeating: values[0], count: names.count) }
            if names.count == 1 { return [Limit(name: names[0], values: values)] }
            return zip(names, values).map { Limit(name: $0, values: [$1]) }
        }
    }

    /// Splits a cell or the JSON text of a default into names and values.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && !"._/+".contains($0) }.map { String($0) }
    }

    @Test func `The documentation lists every limit with its default`() throws {
        let settings: [ConfigurationKey] = LimitSettings.settings.map { $0.of(\.limits) }
        let documented = try Self.documented()

        #expect(documented.map(\.name).sorted() == settings.map(\.path).sorted())
        for setting in settings {
            let text = try #require(setting.defaultText)
            let limit = documented.first { $0.name == setting.path }
            #expect(limit?.values == Self.words(text), "\(setting.path)")
        }
    }
}
