import LatchkeyServer
import LatchkeyServerKit
import Testing

@Suite struct `Configuration reference` {
    private let rows = ConfigurationReference.page.split(separator: "\n").filter { $0.hasPrefix("| `") }

    @Test func `The reference lists each setting once, along with its possible values`() throws {
        #expect(rows.count == ServerConfiguration.settings.count)
        for key in ServerConfiguration.settings {
            let row = try #require(rows.first { $0.hasPrefix("| `\(key.path)`") })
            #expect(row.contains(key.summary))
            #expect(row.contains(key.wanted.replacing("|", with: "\\|")))
        }
    }

    @Test func `Each row has four cells and no line breaks`() {
        for row in rows {
            #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 5, "\(row)")
        }
    }

    @Test(arguments: ServerConfiguration.settings.filter(\.isSecret).map(\.path))
    func `The reference shows no defaults for secrets`(path: String) throws {
        let row = try #require(rows.first { $0.hasPrefix("| `\(path)` *") })
        #expect(row.hasSuffix("|  |"))
    }

    @Test func `The reference shows the server's defaults`() {
        #expect(rows.contains { $0.hasPrefix("| `port` ") && $0.hasSuffix("| `4433` |") })
        #expect(
            rows.contains {
                $0.hasPrefix("| `data` ") && $0.hasSuffix("| `$XDG_DATA_HOME/latchkey/server` |")
            }
        )
    }
}
