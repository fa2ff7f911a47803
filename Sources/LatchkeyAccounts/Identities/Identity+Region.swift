package import LatchkeyModel
import LatchkeyServerKit

extension Identity {
    /// The region in the traits; `nil` if the account has none.
    package var region: Region? { Region(ofTraits: try? JSONParser.parse(traits, from: .storage)) }
}
