import LatchkeyServerKit

/// The only table that these tests use.
extension Migration {
    static let notes = Migration(
        version: 1,
        name: "notes",
        sqlite: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT UNIQUE, body BLOB) STRICT"],
        postgreSQL: []
    )

    static let tags = Migration(
        version: 2,
        name: "tags",
        sqlite: [
            "CREATE TABLE tags (name TEXT PRIMARY KEY) STRICT",
            "INSERT INTO tags VALUES ('first')",
        ],
        postgreSQL: []
    )
}

extension Database {
    func addNote(_ title: String) async throws {
        try await transaction { try $0.addNote(title) }
    }

    func noteCount() async throws -> Int64 {
        try await rows("SELECT count(*) FROM notes")[0].integer(0)
    }
}

extension Transaction {
    borrowing func addNote(_ title: String) throws {
        try execute("INSERT INTO notes (title) VALUES ($1)", .text(title))
    }
}

/// An error that is thrown by a transaction's body.
struct Refusal: Error {}
