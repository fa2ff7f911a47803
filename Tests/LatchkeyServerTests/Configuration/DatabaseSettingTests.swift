import LatchkeyModel
import LatchkeyServer
import TestProcesses
import Testing

@Suite struct `Database setting` {
    private static let url = "postgres://latchkey:hush-hush@db.example.com:5433/people?sslmode=verify-full"
    private static let shown = "postgres://latchkey@db.example.com:5433/people?sslmode=verify-full"

    @Test func `The database URL is read from a variable, a file or a secret file`() throws {
        let folder = TemporaryFolder()
        let own = try folder.write(Self.url + "\n", as: "own")
        let file = try folder.write("{ database: '\(Self.url)' }", as: "config")

        for configuration in [
            try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE": Self.url]),
            try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE_FILE": own]),
            try ServerConfiguration.load(file: file),
            try ServerConfiguration.load(flags: ["database_file": own]),
        ] {
            #expect(configuration.database?.exposed == Self.url)
        }
        #expect(try ServerConfiguration.load().database == nil)
    }

    @Test func `The printed database URL omits the password and can be read again`() throws {
        let configuration = try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE": Self.url])

        #expect(!configuration.text.contains("hush-hush"))
        #expect(configuration.text.contains(#"database: "\#(Self.shown)""#))
        let again = try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE": Self.shown])
        #expect(again.text == configuration.text)
    }

    @Test func `The database URL is accepted as a flag unless it contains a password`() throws {
        let configuration = try ServerConfiguration.load(flags: ["database": Self.shown])
        #expect(configuration.database?.exposed == Self.shown)

        for url in [Self.url, "postgres://db.example.com/people?password=hush-hush&user=latchkey"] {
            let error = #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(flags: ["database": url])
            }
            #expect(error?.description.contains("--database") == true)
            #expect(error?.description.contains("hush-hush") == false)
        }
    }

    @Test(arguments: [
        "db.example.com", "mysql://db.example.com/people", "postgres://db/%zz?password=hush-hush",
        "postgres://u:hush-hush@db/people?no_such_option=1",
    ])
    func `The error for an invalid PostgreSQL URL does not contain the URL`(url: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE": url])
        }
        #expect(error?.description.contains("postgres://user@host:5432/name") == true)
        #expect(error?.description.contains("hush-hush") == false)
    }

    @Test(arguments: [
        "postgres:///people", "postgres://%2Ftmp%2Fsockets/people",
        "postgres://u%40x@host/people?options=-c%20geqo%3Doff", "postgres:///p?host=a%2Cb&port=1%2C2",
    ])
    func `The database URL is printed exactly as it was configured`(url: String) throws {
        let configuration = try ServerConfiguration.load(environment: ["LATCHKEY_DATABASE": url])
        #expect(configuration.text.contains(#"database: "\#(url)""#), "\(configuration.text.prefix(600))")
    }
}
