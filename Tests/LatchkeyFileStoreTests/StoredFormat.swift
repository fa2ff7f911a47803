import Foundation
import Testing

/// A record written by some version of this package.
///
/// The files of a released version never change.
struct StoredFormat {
    let server = "https://id.example.com"
    let app = "com.example.shop"
    let record = "a record of format 1"
    let generation: UInt64 = 66_866_807_627_322_380
    let key: [UInt8]
    let fileName = "session-ef8b30fc067565a64c053e0a2e3172da"
    let file: [UInt8]

    /// Reads the files that a version has written.
    init(version: Int) throws {
        let folder = try #require(Bundle.module.resourceURL).appendingPathComponent("Formats/\(version)")
        key = try [UInt8](Data(contentsOf: folder.appendingPathComponent("session.key")))
        file = try [UInt8](Data(contentsOf: folder.appendingPathComponent(fileName)))
    }
}
