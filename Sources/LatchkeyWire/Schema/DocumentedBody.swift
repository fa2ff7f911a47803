/// The body of a request or response, which describes itself in the OpenAPI document.
///
/// The schema is the only description of the body's members. Tests hold it to what the type encodes and decodes.
package protocol DocumentedBody: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable

    static var schema: JSONSchema { get }
}
