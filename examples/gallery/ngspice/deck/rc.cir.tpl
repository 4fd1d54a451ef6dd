RC low pass
V1 in 0 PULSE(0 {{Source}} 0 1n 1n 1 2)
R1 in out {{Resistance:.6g}}
C1 out 0 {{Capacitance:.6e}}
.tran 10u 5m
.meas tran vend FIND v(out) AT=1m
.control
run
set wr_singlescale
set wr_vecnames
wrdata out.txt v(out)
.endc
.end
