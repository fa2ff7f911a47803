import LatchkeyServer
import LatchkeyServerKit
import Testing

@Suite struct `Configuration reference` {
    private let rows = ConfigurationReference.page.split(separator: "\n").filter { $0.hasPrefix("| `") }

    @Test func `describes each setting once with its values`() throws {
        #expect(rows.count == ServerConfiguration.settings.count)
        for key in ServerConfiguration.settings {
            let row = try #require(rows.first { $0.hasPrefix("| `\(key.path)`") })
            #expect(row.contains(key.summary))
            #expect(row.contains(key.wanted.replacing("|", with: "\\|")))
        }
    }

    @Test func `has rows of four cells without line breaks`() {
        for row in rows {
            #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 5, "\(row)")
        }
    }

    @Test(arguments: ServerConfiguration.settings.filter(\.isSecret).map(\.path))
    func `shows no default of a secret`(path: String) throws {
        let row = try #require(rows.first { $0.hasPrefix("| `\(path)` *") })
        #expect(row.hasSuffix("|  |"))
    }

    @Test func `shows the defaults of the server`() {
        #expect(rows.contains { $0.hasPrefix("| `port` ") && $0.hasSuffix("| `4433` |") })
        #expect(
            rows.contains {
                $0.hasPrefix("| `data` ") && $0.hasSuffix("| `$XDG_DATA_HOME/latchkey/server` |")
            }
        )
    }
}
