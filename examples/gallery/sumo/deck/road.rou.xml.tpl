<routes>
  <vType id="car" length="5" maxSpeed="{{Top speed}}" sigma="0" speedFactor="1"/>
  <flow id="cars" type="car" from="road" to="road" begin="0" end="600" period="6" departPos="0" departSpeed="max"/>
</routes>
