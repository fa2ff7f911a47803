package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// The region from the traits, or `nil` if the account has no region.
    package var region: Region? { Region(ofTraits: try? JSONParser.parse(traits, from: .storage)) }
}
